import { Download } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '@/api/client';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { serverPaths } from '@/config/paths';
import { DeleteAccountDialog } from '@/features/accounts/auth/components/delete-account-dialog';

type DataCardProps = {
  user: Schemas['User'];
  /** What ends with the account beside its own records, in sentences. */
  alsoEnds?: readonly string[];
  /** Called once the account is gone from the server. */
  onDeleted?: () => void;
};

/** Taking one's data along, and leaving for good. */
export function DataCard({ user, alsoEnds = [], onDeleted }: DataCardProps) {
  const [deleting, setDeleting] = useState(false);
  return (
    <SettingsCard
      title="Your data"
      description="Everything that is kept about you and your vehicles, in one JSON file. Deleting the account removes it all for good."
    >
      <div className="flex flex-wrap gap-2">
        <Button asChild>
          <a href={serverPaths.accountExport} download>
            <Download className="size-4" aria-hidden />
            Download My Data
          </a>
        </Button>
        <Button look="danger" onClick={() => setDeleting(true)}>
          Delete Account
        </Button>
      </div>
      <DeleteAccountDialog
        // A new form each time: a password typed before must not wait there.
        key={String(deleting)}
        open={deleting}
        user={user}
        alsoEnds={alsoEnds}
        {...(onDeleted !== undefined && { onDeleted })}
        onClose={() => setDeleting(false)}
      />
    </SettingsCard>
  );
}
