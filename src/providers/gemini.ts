import { openaiCompatible } from './openai-compatible.ts';

export const gemini = openaiCompatible({
  name: 'gemini',
  title: 'Google Gemini',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
  keyPrefixes: ['AIza'],
  modelPrefixes: ['gemini-', 'gemma-'],
  priceId: 'google',
});
