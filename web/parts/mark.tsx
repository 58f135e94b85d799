export function Mark() {
  return (
    <svg aria-hidden="true" viewBox="0 0 32 32" className="size-6 shrink-0">
      <rect width="32" height="32" rx="7" className="fill-accent" />
      <g fill="none" strokeWidth="2.6" strokeLinecap="round" className="stroke-on-accent">
        <path d="M6 12c3.3-3 6.7-3 10 0s6.7 3 10 0" />
        <path d="M6 20c3.3-3 6.7-3 10 0s6.7 3 10 0" opacity=".62" />
      </g>
    </svg>
  );
}
