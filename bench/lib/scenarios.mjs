// Behaviour of the fake CLI in each scenario of the peer benchmarks. The name also
// decides how bench-peer.mjs behaves (perm*, hook*, mcp*, slow, stall, ...).
// `--fake=n=1000,size=333,series=7` replaces single settings.
export const SCENARIOS = {
  small: "mode=stream,n=200000,size=250,kind=delta",
  smallutf8: "mode=stream,n=200000,size=250,kind=delta,utf8=10",
  medium: "mode=stream,n=50000,size=2048,kind=mix",
  mediumutf8: "mode=stream,n=50000,size=2048,kind=mix,utf8=10",
  large: "mode=stream,n=500,size=1048576,kind=mix",
  single: "mode=stream,n=1,size=67108864,kind=tool",
  oversize: "mode=stream,n=1,size=67108864,kind=tool",
  perm1: "mode=perm,n=20000,depth=1",
  perm64: "mode=perm,n=20000,depth=64",
  hook1: "mode=hook,n=20000,depth=1",
  hook64: "mode=hook,n=20000,depth=64",
  mcp1: "mode=mcp,n=20000,depth=1",
  mcp64: "mode=mcp,n=20000,depth=64",
  permbusy: "mode=perm,n=2000,depth=1,lead=2000,size=250,kind=delta",
  echo: "mode=echo,size=700,n=10000",
  paced: "mode=paced,n=2000,gap_us=500",
  many: "mode=paced,n=100,gap_us=50000",
  stderr: "mode=stream,n=1000,size=250,kind=delta,stderr=67108864",
  slow: "mode=stream,n=10000,size=20000,kind=mix",
  stall: "mode=stream,n=200000,size=250,kind=delta",
  start: "mode=stream,n=1,size=250,kind=delta",
  linger1: "mode=stream,n=1,size=250,kind=delta,linger=1",
  linger2: "mode=stream,n=1,size=250,kind=delta,linger=2",
};
