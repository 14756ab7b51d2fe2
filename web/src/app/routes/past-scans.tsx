import { SignedInPage } from '@/app/routes/signed-in-page';
import { Logbook } from '@/components/pictures';
import { HistoryItems } from '@/features/batches/components/history-items';

/** The scans of the past in the grid of a batch. */
export function PastScansRoute() {
  return (
    <SignedInPage
      title="Past Scans"
      about="Say of many scans at once what they show, and teach with them."
      label="Loading scans"
      signIn="Sign in to see the parts you have scanned."
      picture={<Logbook />}
    >
      {() => <HistoryItems />}
    </SignedInPage>
  );
}
