#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { ownRuntime, runOn } from './own-runtime.js';
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
  // A clone runs from its sources, the package from what was built of them.
  const source = new URL('../src/main.ts', import.meta.url);
  await import(existsSync(source) ? source.href : new URL('../dist/main.js', import.meta.url).href);
}
