#!/usr/bin/env node
import { requireNode } from './require-node.js';

requireNode();
await import('../src/main.ts');
