import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Wildcard } from './wildcard.ts';

test('a star stands for any characters, and everything else for itself', () => {
  for (const [pattern, inside, outside] of [
    ['gpt-5', ['gpt-5'], ['gpt-5-mini', 'GPT-5', '', 'xgpt-5', 'gpt-5\n']],
    ['claude-*', ['claude-', 'claude-opus-5'], ['claude', 'xclaude-opus', 'Claude-opus']],
    ['*-mini', ['gpt-5-mini', '-mini'], ['gpt-5-mini-2026', 'mini']],
    ['openai/*', ['openai/gpt-5', 'openai/a/b'], ['openai', 'xopenai/gpt-5']],
    ['a*b*c', ['abc', 'a-b-b-c', 'abcbc'], ['ab', 'acb', 'abcd']],
    ['a*a', ['aa', 'aba'], ['a']],
    ['ab*ba', ['abba', 'abxba'], ['aba']],
    ['*', ['', 'x', 'a/b'], []],
    ['**x**', ['x', 'axb'], ['', 'y']],
    ['', [''], ['x']],
    ['a.c', ['a.c'], ['abc']],
  ] as const) {
    const wildcard = new Wildcard(pattern);
    for (const text of inside) assert.ok(wildcard.matches(text), `${pattern} has ${text}`);
    for (const text of outside) assert.ok(!wildcard.matches(text), `${pattern} has not ${text}`);
  }
});
