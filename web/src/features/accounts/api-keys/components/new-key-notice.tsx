import { useEffect, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { useToast } from '@/components/ui/use-toast';

type NewKeyNoticeProps = { secret: string; onDone: () => void };

/** The one time that a key is shown. */
export function NewKeyNotice({ secret, onDone }: NewKeyNoticeProps) {
  const toast = useToast();
  const [copied, setCopied] = useState(false);
  const notice = useRef<HTMLDivElement>(null);
  // The form that asked for it is gone, and the focus with it.
  useEffect(() => notice.current?.focus(), []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      setCopied(true);
    } catch {
      toast({
        title: 'Copy failed',
        description: 'Please select the key and copy it by hand.',
        tone: 'bad',
      });
    }
  };
  return (
    <div ref={notice} tabIndex={-1} role="status">
      <Notice
        tone="good"
        title="Copy your key now"
        action={
          <div className="flex gap-2">
            <Button size="small" look="primary" onClick={() => void copy()}>
              {copied ? 'Copied' : 'Copy Key'}
            </Button>
            <Button size="small" look="ghost" onClick={onDone}>
              Done
            </Button>
          </div>
        }
      >
        It is shown this once; the server keeps only its hash.
        <code className="mt-2 block rounded-sm bg-canvas p-2 text-xs break-all text-ink select-all">
          {secret}
        </code>
      </Notice>
    </div>
  );
}
