import { Code } from '../../parts/controls.tsx';

/** A text to copy, with its name above. */
export function NamedCode({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="text-xs text-muted">{name}</p>
      <Code label={name} text={text} wraps />
    </div>
  );
}
