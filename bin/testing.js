// The entry `weir-gateway/testing`, which says in one line that a Node.js is too old.
import { createRequire } from 'node:module';
import { isNewEnough, tooOld } from './require-node.js';

if (!isNewEnough()) throw new Error(`weir-gateway/testing ${tooOld()}`);
export const { FakeUpstream, runModule, startTestGateway } = createRequire(import.meta.url)(
  '../dist/testing/index.js',
);
