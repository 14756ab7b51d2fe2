import { BackToCatalog } from '@/app/routes/back-to-catalog';
import { EmptyShelf } from '@/components/empty-shelf';
import { SignInRequired } from '@/components/sign-in-required';
import { SignedIn } from '@/features/accounts/auth/components/signed-in';
import { CatalogStatus } from '@/features/teaching/catalog-doctor/components/catalog-status';
import { Diagnosis } from '@/features/teaching/catalog-doctor/components/diagnosis';

/** What is doubtful among the photos that teach the scanner. */
export function CatalogDoctorRoute() {
  return (
    <div className="page grid grid-cols-1 gap-5">
      <title>Partsight - Check Photos</title>
      <BackToCatalog />
      <header>
        <h1 className="page-title">Check Photos</h1>
        <p className="mt-1 max-w-xl text-soft">
          Each photo is compared with all others. What looks wrong stands here, the worst first.
        </p>
      </header>
      <SignedIn
        label="Loading the check"
        visitor={<SignInRequired picture={<EmptyShelf />}>Sign in to check photos.</SignInRequired>}
      >
        {() => (
          <>
            <CatalogStatus />
            <Diagnosis />
          </>
        )}
      </SignedIn>
    </div>
  );
}
