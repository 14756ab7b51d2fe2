import { useEffect, useRef, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { useCopy } from '@/hooks/use-copy';

const TITLES = {
  key: 'Copy your key now',
  secret: 'Copy the secret now',
  link: 'Copy the link now',
};
const LABELS = { key: 'Copy Key', secret: 'Copy Secret', link: 'Copy Link' };

type SecretNoticeProps = {
  what: keyof typeof TITLES;
  secret: string;
  /** Why it is not shown again, or what it is for. */
  children: ReactNode;
  onDone: () => void;
};

/** The one time that a key, the secret of a webhook, or the link of an invitation is shown. */
export function SecretNotice({ what, secret, children, onDone }: SecretNoticeProps) {
  const { copied, copy } = useCopy(secret, `Please select the ${what} and copy it by hand.`);
  const notice = useRef<HTMLDivElement>(null);
  // The form that asked for it is gone, and the focus with it.
  useEffect(() => notice.current?.focus(), []);
  return (
    <div ref={notice} tabIndex={-1} role="status">
      <Notice
        tone="good"
        title={TITLES[what]}
        action={
          <div className="flex gap-2">
            <Button size="small" look="primary" onClick={copy}>
              {copied ? 'Copied' : LABELS[what]}
            </Button>
            <Button size="small" look="ghost" onClick={onDone}>
              Done
            </Button>
          </div>
        }
      >
        {children}
        <code className="mt-2 block rounded-sm bg-canvas p-2 text-xs break-all text-ink select-all">
          {secret}
        </code>
      </Notice>
    </div>
  );
}
