/** Counters of a `Pool`. */
export interface PoolStats {
  /** Number of warm processes. */
  readonly warm: number;
  /** Number of processes that are starting. */
  readonly starting: number;
  /** Number of running conversations and clients. */
  readonly busy: number;
  /** Number of queries that got a warm process. */
  readonly hits: number;
  /** Number of queries that started a process of their own. */
  readonly misses: number;
}

/** Events of a `Pool`; every member is optional, a throwing one is ignored. */
export interface PoolMetrics {
  /** A query began: with a warm process, or with one of its own. */
  readonly query?: ((isWarm: boolean) => void) | undefined;
  /** The counters changed. */
  readonly change?: ((stats: PoolStats) => void) | undefined;
}
