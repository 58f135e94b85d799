// The entry `weir-gateway`. Its programs can't be linked by an old Node.js, which would say no more than that there is a SyntaxError.
import { createRequire } from 'node:module';
import { isNewEnough, tooOld } from './require-node.js';

if (!isNewEnough()) throw new Error(`weir-gateway ${tooOld()}`);
export const { createGateway, SettingsError } = createRequire(import.meta.url)('../dist/index.js');
