/** Prevents an unhandled rejection of a promise that is not awaited. */
export function ignoreErrors<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined);
  return promise;
}
