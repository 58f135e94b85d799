import { Check, Copy } from 'lucide-react';
import { type ComponentProps, type ReactNode, useEffect, useId, useRef, useState } from 'react';

const looks = {
  primary: 'bg-accent text-on-accent border-transparent hover:opacity-90',
  plain: 'bg-surface border-line hover:border-edge',
  quiet: 'border-transparent text-muted hover:text-ink hover:bg-sunken',
  danger: 'bg-failed-soft text-failed border-transparent hover:border-failed',
} as const;

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: keyof typeof looks;
  readonly busy?: boolean;
}

export function Button({
  look = 'plain',
  busy = false,
  className = '',
  disabled,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      className={`inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border px-3 text-sm font-medium whitespace-nowrap transition-colors disabled:opacity-50 ${looks[look]} ${className}`}
      {...rest}
    >
      {children}
    </button>
  );
}

/** A button with a picture alone, and its name for those who can't see it. */
export function IconButton({
  label,
  className = '',
  children,
  ...rest
}: ComponentProps<'button'> & { readonly label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted transition-colors hover:bg-sunken hover:text-ink disabled:opacity-40 [&>svg]:size-4 ${className}`}
      {...rest}
    >
      {children}
    </button>
  );
}

const fieldLook =
  'h-8 w-full rounded-md border border-line bg-surface px-2.5 text-sm text-ink transition-colors hover:border-edge focus-visible:border-accent file:mt-1.5 file:mr-2';

export function Input({ className = '', ...rest }: ComponentProps<'input'>) {
  return <input className={`${fieldLook} ${className}`} {...rest} />;
}

export function TextArea({ className = '', ...rest }: ComponentProps<'textarea'>) {
  return <textarea className={`${fieldLook} h-auto min-h-20 py-2 leading-relaxed ${className}`} {...rest} />;
}

export function Select({ className = '', children, ...rest }: ComponentProps<'select'>) {
  return (
    <select className={`${fieldLook} ${className}`} {...rest}>
      {children}
    </select>
  );
}

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** Each is a line of its own. */
  readonly error?: string | readonly string[] | undefined;
  readonly children: (id: {
    readonly id: string;
    readonly 'aria-describedby': string | undefined;
  }) => ReactNode;
}

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const errors = typeof error === 'string' ? [error] : (error ?? []);
  const said = errors.length > 0 || hint !== undefined;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium wrap-anywhere">
        {label}
      </label>
      {children({ id, 'aria-describedby': said ? `${id}-said` : undefined })}
      {said && (
        <div id={`${id}-said`} className={`text-xs ${errors.length === 0 ? 'text-muted' : 'text-failed'}`}>
          {errors.length === 0 ? hint : errors.map((one) => <p key={one}>{one}</p>)}
        </div>
      )}
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [Value, string])[];
  readonly onChange: (value: Value) => void;
}

/** A few possibilities side by side, of which one holds. */
export function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset className="inline-flex h-8 w-fit shrink-0 max-w-full min-w-0 items-stretch self-start overflow-x-auto rounded-md border border-line bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map(([option, text]) => (
        <label
          key={option}
          className="flex cursor-pointer items-center rounded-sm px-1.5 text-sm whitespace-nowrap text-muted transition-colors sm:px-2.5 has-checked:bg-surface has-checked:font-medium has-checked:text-ink has-checked:shadow-xs has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            className="sr-only"
            checked={option === value}
            onChange={() => onChange(option)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly disabled?: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function Switch({ label, isOn, disabled = false, onChange }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      disabled={disabled}
      onClick={() => onChange(!isOn)}
      className={`relative h-5 w-9 shrink-0 rounded-full border transition-colors disabled:opacity-50 ${isOn ? 'border-transparent bg-accent' : 'border-edge bg-sunken hover:border-ink'}`}
    >
      <span
        aria-hidden
        className={`absolute top-0.5 size-3.5 rounded-full transition-all motion-reduce:transition-none ${isOn ? 'left-[1.125rem] bg-on-accent' : 'left-0.5 bg-muted'}`}
      />
    </button>
  );
}

/** Works on plain http too, where browsers have no clipboard for pages. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const { activeElement } = document;
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'fixed opacity-0';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    if (activeElement instanceof HTMLElement) activeElement.focus();
    return done;
  }
}

export function CopyButton({
  text,
  label = 'Copy',
  wide = false,
  disabled = false,
}: {
  readonly text: string;
  readonly label?: string;
  readonly wide?: boolean;
  readonly disabled?: boolean;
}) {
  const [done, setDone] = useState(false);
  const timer = useRef<number>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    setDone(await copyText(text));
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setDone(false), 1600);
  };
  const picture = done ? <Check aria-hidden className="text-saved" /> : <Copy aria-hidden />;
  if (wide)
    return (
      <Button onClick={copy} disabled={disabled} className="[&>svg]:size-3.5">
        {picture}
        {done ? 'Copied' : label}
      </Button>
    );
  return (
    <IconButton label={done ? 'Copied' : label} onClick={copy} disabled={disabled}>
      {picture}
    </IconButton>
  );
}

interface CodeProps {
  readonly text: string;
  readonly label: string;
  /** Shows all of it, broken anywhere, instead of scrolling. */
  readonly wraps?: boolean;
}

export function Code({ text, label, wraps = false }: CodeProps) {
  return (
    <section aria-label={label} className="relative min-w-0 rounded-md border border-line bg-sunken">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className={`overflow-x-auto px-3 py-2.5 pr-11 font-mono text-xs leading-relaxed ${wraps ? 'break-all whitespace-pre-wrap' : ''}`}
      >
        {text}
      </pre>
      <div className="absolute top-0 right-0 rounded-md bg-sunken p-1">
        <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
      </div>
    </section>
  );
}

/** What is held down for a command, by the name that is on the keyboard. */
export const commandKey = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl';

export function Key({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-line bg-sunken px-1 font-mono text-[11px] text-muted">
      {children}
    </kbd>
  );
}
