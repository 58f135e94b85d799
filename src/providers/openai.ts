import { openaiCompatible } from './openai-compatible.ts';

export const openai = openaiCompatible({
  name: 'openai',
  title: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  keyPrefixes: ['sk-', 'sk-proj-', 'sk-svcacct-', 'sk-admin-'],
  modelPrefixes: ['gpt-', 'chatgpt-', 'o1', 'o3', 'o4', 'ft:', 'codex-'],
  priceId: 'openai',
});
