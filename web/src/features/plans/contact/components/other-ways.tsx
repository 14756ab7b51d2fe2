import { useQuery } from '@tanstack/react-query';
import { Check, Copy } from 'lucide-react';
import { useEffect } from 'react';
import { settingsQuery } from '@/api/settings';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { useCopy } from '@/hooks/use-copy';

/** How long the check mark stands (specification 2, section 9). */
const COPIED_MS = 2000;

export function OtherWays() {
  const settings = useQuery(settingsQuery());
  if (settings.data === undefined) return null;
  return (
    <SettingsCard
      title="Other ways to reach us"
      description="We typically respond within 24 hours."
    >
      <CopyButton address={settings.data.supportEmail} />
    </SettingsCard>
  );
}

type CopyButtonProps = { address: string };

function CopyButton({ address }: CopyButtonProps) {
  const { copied, setCopied, copy } = useCopy(address, 'Please manually copy the email address.');
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied, setCopied]);
  const Mark = copied ? Check : Copy;
  return (
    <Button className="justify-self-start" onClick={copy}>
      <Mark className={copied ? 'size-4 text-good' : 'size-4'} aria-hidden />
      <span className="wrap-anywhere select-text">{address}</span>
      <span role="status" className="sr-only">
        {copied ? 'Copied' : ''}
      </span>
    </Button>
  );
}
