import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { useLayoutEffect, type ReactNode } from 'react';
import { classNames } from '@/lib/class-names';
import { keepFocus } from '@/lib/dialog-focus';

type DialogProps = {
  open: boolean;
  /** Called when the person closes the dialog; left out, only its own buttons do. */
  onClose?: () => void;
  /** What Escape does where only the dialog's own buttons close it. */
  onEscape?: (() => void) | undefined;
  /** What the person began is under way: until it has ended, nothing closes the dialog. */
  busy?: boolean;
  title: ReactNode;
  description: ReactNode;
  children?: ReactNode;
  footer?: ReactNode;
  /** Where the focus goes on closing; null, or left out, is back to where it was before. */
  returnFocus?: () => HTMLElement | null;
  /** Chooses what has the focus first; left out, that is the button Close. */
  onOpenAutoFocus?: ((event: Event) => void) | undefined;
  className?: string;
};

// One dialog may take the place of another; both return to what had the focus before the first.
let focusBefore: Element | null = null;

export function Dialog({
  open,
  onClose,
  onEscape,
  busy = false,
  title,
  description,
  children,
  footer,
  returnFocus,
  onOpenAutoFocus,
  className,
}: DialogProps) {
  // Early enough to see a button that this very update disables, before the browser blurs it.
  useLayoutEffect(() => {
    const active = document.activeElement;
    if (open && active?.closest('[role="dialog"]') == null) focusBefore = lastingOf(active);
  }, [open]);

  const hold = (event: Event) => {
    if (onClose === undefined || busy) event.preventDefault();
  };
  return (
    <Radix.Root
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose?.();
      }}
    >
      <Radix.Portal>
        <Radix.Overlay
          onMouseDown={keepFocus}
          className="fixed inset-0 z-40 animate-fade bg-black/70 backdrop-blur-[2px]"
        />
        {/* As high as the window, for what is `cramped`. */}
        <div className="pointer-events-none fixed inset-0 z-50 [container-type:size]">
          <Radix.Content
            onEscapeKeyDown={(event) => {
              // The first Escape closes an open list of suggestions, the next one the dialog.
              if (document.activeElement?.getAttribute('aria-expanded') === 'true') {
                event.preventDefault();
              }
              hold(event);
              onEscape?.();
            }}
            onInteractOutside={hold}
            onOpenAutoFocus={onOpenAutoFocus}
            onCloseAutoFocus={(event) => giveFocusBack(event, returnFocus?.() ?? focusBefore)}
            className={classNames(
              'fixed inset-x-3 top-1/2 mx-auto flex max-h-[calc(100dvh-1.5rem)] -translate-y-1/2 animate-fade flex-col overflow-y-auto rounded-xl border border-line bg-surface shadow-float',
              // Weaker than a width of the caller.
              '[:where(&)]:max-w-md',
              className,
            )}
          >
            <div className="flex items-start gap-3 px-5 pt-5 pb-3">
              <div className="min-w-0 flex-1">
                <Radix.Title className="text-lg font-semibold tracking-tight">{title}</Radix.Title>
                <Radix.Description className="mt-1 text-sm text-soft">
                  {description}
                </Radix.Description>
              </div>
              {onClose !== undefined && (
                <Radix.Close
                  aria-label="Close"
                  disabled={busy}
                  className="-mt-1 -mr-1 grid icon-button shrink-0 place-items-center rounded-md text-muted enabled:hover:bg-hover enabled:hover:text-ink disabled:opacity-50"
                >
                  <X className="size-5" aria-hidden />
                </Radix.Close>
              )}
            </div>
            {/* It scrolls alone while at least 12rem of it are in view, or all of it: below that the whole dialog does.
                The height is no more than that least one; as tall as it can be it is made by the basis. */}
            <div className="flex h-48 shrink grow basis-[content] flex-col cramped:shrink-0">
              <div className="flex min-h-0 flex-1 flex-col overflow-y-auto px-5 pt-2 pb-5 cramped:overflow-visible">
                {children}
              </div>
            </div>
            {footer !== undefined && (
              <div className="flex flex-wrap justify-end gap-2 border-t px-5 py-4">{footer}</div>
            )}
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** There is no trigger to return to by itself; a focus that moved on meanwhile stays there. */
function giveFocusBack(event: Event, target: Element | null): void {
  event.preventDefault();
  const moved = document.activeElement !== null && document.activeElement !== document.body;
  if (!moved && target instanceof HTMLElement) target.focus();
}

/** The entry of a menu goes with the menu; what opened the menu stays. */
function lastingOf(active: Element | null): Element | null {
  const opener = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return opener == null ? active : document.getElementById(opener);
}
