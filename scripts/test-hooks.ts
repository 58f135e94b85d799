// Every test process loads this file before the test runner. The runner follows each promise to the test that made it, which costs a
// sixth of the CPU time of unit tests and more where gateways answer calls (decision 124). Without that, an error that nobody catches
// fails the file instead of its test.
import asyncHooks from 'node:async_hooks';

const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
