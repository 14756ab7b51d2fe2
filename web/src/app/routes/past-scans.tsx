import { BackToShop } from '@/app/routes/shop/back-to-shop';
import { Logbook } from '@/components/pictures';
import { SignInRequired } from '@/components/sign-in-required';
import { SignedIn } from '@/features/accounts/auth/components/signed-in';
import { HistoryItems } from '@/features/batches/components/history-items';

/** The scans of the past in the grid of a batch. */
export function PastScansRoute() {
  return (
    <div className="page grid grid-cols-1 gap-5">
      <title>Partsight - Past Scans</title>
      <BackToShop />
      <header>
        <h1 className="page-title">Past Scans</h1>
        <p className="mt-1 max-w-xl text-soft">
          Say of many scans at once what they show, and teach with them.
        </p>
      </header>
      <SignedIn
        label="Loading scans"
        visitor={
          <SignInRequired picture={<Logbook />}>
            Sign in to see the parts you have scanned.
          </SignInRequired>
        }
      >
        {() => <HistoryItems />}
      </SignedIn>
    </div>
  );
}
