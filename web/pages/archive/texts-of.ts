interface RoleText {
  readonly role: string;
  readonly text: string;
}

/** Messages as people read them: texts as they are, other blocks as JSON. */
export function textsOf(messages: readonly unknown[]): readonly RoleText[] {
  return messages.map((message) => {
    const { role, content } = (message ?? {}) as { readonly role?: unknown; readonly content?: unknown };
    const blocks = Array.isArray(content) ? content : [content];
    return { role: String(role ?? ''), text: blocks.map(textOf).join('\n') };
  });
}

function textOf(block: unknown): string {
  if (typeof block === 'string') return block;
  const { type, text } = (block ?? {}) as { readonly type?: unknown; readonly text?: unknown };
  return type === 'text' && typeof text === 'string' ? text : (JSON.stringify(block) ?? '');
}
