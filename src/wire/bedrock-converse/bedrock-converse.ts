import { randomUUID } from 'node:crypto';
import type { ProviderFormat } from '../../kernel/wire-format.ts';
import { JsonReplyDecoder, type JsonReplyReader } from '../json-reply-decoder.ts';
import { chatEstimates } from '../openai-chat/openai-chat.ts';
import { encodeRequest } from './encode-request.ts';
import { readResponse, summarizeResponse } from './read-response.ts';
import { ConverseDecoder } from './reply-decoder.ts';

/** Amazon's Converse API, for models of all makers; clients can't use it. Its responses have no id, so they get one. */
export function createBedrockConverse(newId: () => string): ProviderFormat {
  const reader: JsonReplyReader = {
    read: (body) => readResponse(body, newId()),
    summarize: summarizeResponse,
  };
  return {
    name: 'bedrock-converse',
    ownHeaders: [],
    modelFields: () => ({}),
    requestPath: (model, streamed) =>
      `/model/${encodeURIComponent(model)}/${streamed ? 'converse-stream' : 'converse'}`,
    encodeRequest,
    estimates: chatEstimates,
    replyDecoder: (framing, interest) =>
      framing === 'json' ? new JsonReplyDecoder(reader, interest) : new ConverseDecoder(newId()),
  };
}

export const bedrockConverse = createBedrockConverse(() => `msg_bdrk_${randomUUID().replaceAll('-', '')}`);
