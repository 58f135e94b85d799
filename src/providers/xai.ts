import { openaiChat, openaiResponses } from '../wire/index.ts';
import { xaiAcceptance } from './acceptance/xai.ts';
import { openaiCompatible } from './openai-compatible.ts';

export const xai = openaiCompatible({
  name: 'xai',
  telemetryName: 'x_ai',
  title: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  accepts: xaiAcceptance,
  streamUsage: 'asked',
  // https://docs.x.ai/developers/advanced-api-usage/websocket-mode
  callSockets: 'sequential',
  wires: [openaiChat, openaiResponses],
  keyPrefixes: ['xai-'],
  modelPrefixes: ['grok-'],
  reportsCost: true,
  // https://docs.x.ai/developers/files/managing-files
  endpoints: {
    responses: '/responses',
    files: '/files',
    images: '/images/generations',
    realtime: '/realtime',
  },
  priceId: 'x-ai',
});
