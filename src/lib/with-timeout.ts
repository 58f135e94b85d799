/** The result of `work`, or the error of `late` if it takes longer. */
export function withTimeout<Result>(work: Promise<Result>, ms: number, late: () => Error): Promise<Result> {
  return new Promise((resolve, reject) => {
    let settled = false;
    // After a long blocking task the result may be ready but unread; it is read before the immediate runs.
    const timer = setTimeout(() => setImmediate(() => settled || reject(late())), ms);
    const settle = () => {
      settled = true;
      clearTimeout(timer);
    };
    work.then(
      (result) => {
        settle();
        resolve(result);
      },
      (error) => {
        settle();
        reject(error);
      },
    );
  });
}
