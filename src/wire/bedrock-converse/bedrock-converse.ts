import type { ProviderFormat } from '../../kernel/wire-format.ts';
import { type AnswerReader, CollectedJson } from '../collected-json.ts';
import { chatEstimates } from '../openai-chat/openai-chat.ts';
import { encodeRequest } from './encode-request.ts';
import { briefOfResponse, readResponse } from './read-response.ts';
import { ConverseDecoder } from './reply-decoder.ts';

const reader: AnswerReader = { read: readResponse, brief: briefOfResponse };

/** Amazon's Converse API, for models of all makers. It is spoken to Bedrock, and to no client. */
export const bedrockConverse: ProviderFormat = {
  name: 'bedrock-converse',
  ownHeaders: [],
  naming: () => ({}),
  address: (model, streamed) =>
    `/model/${encodeURIComponent(model)}/${streamed ? 'converse-stream' : 'converse'}`,
  encodeRequest,
  estimates: chatEstimates,
  replyDecoder: (framing, interest) =>
    framing === 'json' ? new CollectedJson(reader, interest) : new ConverseDecoder(),
};
