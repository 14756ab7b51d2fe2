type SpinnerProps = { label: string };

export function Spinner({ label }: SpinnerProps) {
  return (
    <div role="status" className="grid min-h-64 place-content-center justify-items-center gap-3">
      <svg viewBox="0 0 24 24" className="size-9 animate-spin text-accent" aria-hidden>
        <circle
          cx="12"
          cy="12"
          r="9"
          fill="none"
          stroke="currentColor"
          strokeOpacity=".2"
          strokeWidth="2.5"
        />
        <path
          d="M12 3a9 9 0 0 1 9 9"
          fill="none"
          stroke="currentColor"
          strokeWidth="2.5"
          strokeLinecap="round"
        />
      </svg>
      <span className="text-sm text-muted">{label}</span>
    </div>
  );
}
