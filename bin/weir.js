#!/usr/bin/env node
import module from 'node:module';
import { requireNode } from './require-node.js';

requireNode();
// Halves the work of every start but the first.
module.enableCompileCache();
await import('../src/main.ts');
