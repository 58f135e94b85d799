/** Who doesn't wait for it must not bring the process down when it fails. */
export function ignoreErrors<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined);
  return promise;
}
