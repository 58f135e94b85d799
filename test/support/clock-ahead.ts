// Preloaded into a process whose clock is to be wrong by WEIR_TEST_CLOCK_AHEAD_MS.
const aheadMs = Number(process.env.WEIR_TEST_CLOCK_AHEAD_MS);
const now = Date.now.bind(Date);
Date.now = () => now() + aheadMs;
globalThis.Date = new Proxy(Date, {
  construct: (date, given) => Reflect.construct(date, given.length === 0 ? [date.now()] : given),
});
