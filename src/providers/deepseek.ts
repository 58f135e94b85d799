import { deepseekAcceptance } from './acceptance/deepseek.ts';
import { openaiCompatible } from './openai-compatible.ts';

export const deepseek = openaiCompatible({
  name: 'deepseek',
  title: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com/v1',
  accepts: deepseekAcceptance,
  streamUsage: 'unasked',
  keyPrefixes: ['sk-'],
  modelPrefixes: ['deepseek-'],
  priceId: 'deepseek',
});
