import { useEffect, useRef, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { useCopy } from '@/hooks/use-copy';

type SecretNoticeProps = {
  what: 'key' | 'secret';
  secret: string;
  /** Why it is not shown again, or what it is for. */
  children: ReactNode;
  onDone: () => void;
};

/** The one time that a key, or the secret of a webhook, is shown. */
export function SecretNotice({ what, secret, children, onDone }: SecretNoticeProps) {
  const { copied, copy } = useCopy(secret, `Please select the ${what} and copy it by hand.`);
  const notice = useRef<HTMLDivElement>(null);
  // The form that asked for it is gone, and the focus with it.
  useEffect(() => notice.current?.focus(), []);
  return (
    <div ref={notice} tabIndex={-1} role="status">
      <Notice
        tone="good"
        title={what === 'key' ? 'Copy your key now' : 'Copy the secret now'}
        action={
          <div className="flex gap-2">
            <Button size="small" look="primary" onClick={copy}>
              {copied ? 'Copied' : what === 'key' ? 'Copy Key' : 'Copy Secret'}
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
