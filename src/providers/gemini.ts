import { geminiAcceptance } from './acceptance/gemini.ts';
import { openaiCompatible } from './openai-compatible.ts';

export const gemini = openaiCompatible({
  name: 'gemini',
  title: 'Google Gemini',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
  accepts: geminiAcceptance,
  keyPrefixes: ['AIza'],
  modelPrefixes: ['gemini-', 'gemma-'],
  priceId: 'google',
});
