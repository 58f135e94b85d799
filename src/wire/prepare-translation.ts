import type { ChatRequest } from '../kernel/message.ts';
import { checkRequestShape } from './check-request-shape.ts';
import { checkTranslatableContent } from './check-translatable-content.ts';
import { toPlainConversation } from './plain-conversation.ts';

/** Checks a request that came in another format than `wire`, and gives it the shape that every format has. */
export function prepareTranslation(request: ChatRequest, wire: string): ChatRequest {
  checkRequestShape(request);
  const plain = toPlainConversation(request, wire);
  checkTranslatableContent(plain, wire);
  return plain;
}
