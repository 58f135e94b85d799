/** What `work` comes to, or the error that `late` makes when it takes longer. */
export function withTimeout<Result>(work: Promise<Result>, ms: number, late: () => Error): Promise<Result> {
  return new Promise((resolve, reject) => {
    let settled = false;
    // After a long task of our own the answer may be there and not read yet: it is, before the immediate runs.
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
