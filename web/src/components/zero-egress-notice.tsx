import { useQuery } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { settingsQuery } from '@/api/settings';

/** That nothing leaves this server, where whoever runs it has set it so. */
export function ZeroEgressNotice() {
  const settings = useQuery(settingsQuery());
  if (settings.data?.zeroEgress !== true) return null;
  return (
    <p className="flex items-start gap-1.5">
      <ShieldCheck className="mt-0.5 size-4 shrink-0 text-good" aria-hidden />
      Nothing leaves this server: it is set to zero egress.
    </p>
  );
}
