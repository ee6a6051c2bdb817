/** What /proc tells: ticks since the start of the system. */
const TICKS = /^\d+$/;
/** What `ps` tells in English, in whatever zone: `Mon Jan  5 10:00:00 2026`, its words joined by blanks or dashes. */
const DATE =
  /^[A-Z][a-z]{2}[ -]([A-Z][a-z]{2})[ -]+(\d{1,2})[ -](\d\d:\d\d:\d\d)[ -](\d{4})$/;

const MINUTE_MS = 60_000;
/** The clocks of two zones differ by so much, or a multiple of it ... */
const ZONE_STEP_MS = 15 * MINUTE_MS;
/** ... and by no more than this. */
const ZONES_MS = 26 * 60 * MINUTE_MS;
/** `ps` counts back from now, and comes out a second earlier or later. */
const ROUNDING_MS = 2_000;

/**
 * Whether two beginnings, as a system told them, are those of two processes for sure.
 *
 * One may come from /proc and the other from `ps`, in another time zone or language: what cannot be compared may be the same.
 */
export function areOfTwo(one: string, other: string): boolean {
  if (TICKS.test(one) && TICKS.test(other)) return one !== other;
  const apartMs = Math.abs(toMs(one) - toMs(other));
  if (Number.isNaN(apartMs)) return false;
  const restMs = apartMs % ZONE_STEP_MS;
  const mayBeZones = apartMs <= ZONES_MS + ROUNDING_MS &&
    Math.min(restMs, ZONE_STEP_MS - restMs) <= ROUNDING_MS;
  return !mayBeZones;
}

function toMs(text: string): number {
  const [, month, day, time, year] = DATE.exec(text) ?? [];
  return Date.parse(`${month} ${day} ${year} ${time} UTC`);
}
