interface Ending {
  /** In good order. */
  close(): Promise<void>;
  /** At once. */
  abandon?(): Promise<void>;
}

/** Waits for a signal to stop, and until everything is closed; the second signal ends the process at once. */
export async function stopped({ close, abandon }: Ending): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let asked = false;
  const onSignal = async (): Promise<void> => {
    if (asked) {
      await abandon?.();
      process.exit(1);
    }
    asked = true;
    await close().then(resolve, reject);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  await promise;
  process.off('SIGTERM', onSignal);
  process.off('SIGINT', onSignal);
}
