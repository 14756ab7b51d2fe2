type LogoProps = { className?: string };

/** The mark: a viewfinder around a brake disc. */
export function Logo({ className }: LogoProps) {
  return (
    <svg viewBox="0 0 32 32" className={className} fill="none" aria-hidden>
      <g stroke="var(--color-accent)" strokeWidth="2.4" strokeLinecap="round">
        <path d="M3 10V7a4 4 0 0 1 4-4h3M22 3h3a4 4 0 0 1 4 4v3M29 22v3a4 4 0 0 1-4 4h-3M10 29H7a4 4 0 0 1-4-4v-3" />
      </g>
      <circle cx="16" cy="16" r="8" stroke="var(--color-ink)" strokeWidth="2.4" />
      <circle cx="16" cy="16" r="2.6" fill="var(--color-ink)" />
      <g fill="var(--color-ink)">
        <circle cx="16" cy="11.1" r=".95" />
        <circle cx="20.66" cy="14.49" r=".95" />
        <circle cx="18.88" cy="19.96" r=".95" />
        <circle cx="13.12" cy="19.96" r=".95" />
        <circle cx="11.34" cy="14.49" r=".95" />
      </g>
    </svg>
  );
}

export function Wordmark() {
  return (
    <span className="flex items-center gap-2.5">
      <Logo className="size-8 shrink-0" />
      <span className="text-lg font-semibold tracking-tight max-sm:sr-only">Partsight</span>
    </span>
  );
}
