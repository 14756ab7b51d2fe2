import { useQuery } from '@tanstack/react-query';
import { settingsQuery } from '@/api/settings';
import { MailLink } from '@/components/mail-link';

/** Whom to write to. Nothing stands here until the address is known: a wrong one helps nobody. */
export function HelpLine() {
  const settings = useQuery(settingsQuery());
  if (settings.data === undefined) return null;
  return (
    <p className="text-center text-sm text-muted">
      Need help? Write to <MailLink address={settings.data.supportEmail} />.
    </p>
  );
}
