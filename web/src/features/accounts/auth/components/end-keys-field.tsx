import type { ComponentProps } from 'react';

/** What opens the account without its password outlives a new one, unless its owner says otherwise. */
export function EndKeysField(props: ComponentProps<'input'>) {
  return (
    <label className="flex min-h-8 items-center gap-3 text-sm">
      <input type="checkbox" {...props} className="size-5 shrink-0 accent-accent" />
      End my API keys and calendar address too. Otherwise they go on.
    </label>
  );
}
