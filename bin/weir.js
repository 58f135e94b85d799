#!/usr/bin/env node
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { ownRuntime, runOn } from './own-runtime.js';
import { programFile } from './program.js';
import { isNewEnough, requireNode } from './require-node.js';

const runtime = isNewEnough() ? undefined : ownRuntime();
if (runtime !== undefined) runOn(runtime);
else {
  requireNode();
  // What is loaded stays: nothing is won by making room for it among new objects first, and that room would never be given back.
  setFlagsFromString('--semi-space-growth-factor=1');
  // Halves the work of every start but the first. Threads and processes that this one starts look for it in their environment.
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');
  module.enableCompileCache();
  await import(pathToFileURL(programFile()).href);
}
