/** A sentence in which code stands between backticks. */
export function Marked({ text }: { readonly text: string }) {
  return text.split('`').map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: a place in the sentence
      <code key={at} className="font-mono text-[0.92em]">
        {part}
      </code>
    ),
  );
}
