// Every test process loads this file before the test runner. The runner follows each promise to the test that made it, which costs a
// sixth of the CPU time of unit tests and more where gateways answer calls (decision 124). Without that, an error that nobody catches
// fails the file instead of its test.
import asyncHooks, { type AsyncHook } from 'node:async_hooks';

const { createHook } = asyncHooks;
const following: AsyncHook[] = [];

asyncHooks.createHook = (callbacks) => {
  following.push(createHook(callbacks));
  return createHook({ ...callbacks, trackPromises: false });
};

/** While a file of tests loads, promises are followed: what it begins after an `await` is its own. */
export async function followPromises(load: () => Promise<void>): Promise<void> {
  for (const hook of following) hook.enable();
  try {
    await load();
  } finally {
    for (const hook of following) hook.disable();
  }
}
