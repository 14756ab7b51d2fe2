import { BackToCatalog } from '@/app/routes/back-to-catalog';
import { SignedInPage } from '@/app/routes/signed-in-page';
import { CatalogStatus } from '@/features/teaching/catalog-doctor/components/catalog-status';
import { Diagnosis } from '@/features/teaching/catalog-doctor/components/diagnosis';

/** What is doubtful among the photos that teach the scanner. */
export function CatalogDoctorRoute() {
  return (
    <SignedInPage
      title="Check Photos"
      about="Each photo is compared with all others. What looks wrong stands here, the worst first."
      back={<BackToCatalog />}
      label="Loading the check"
      signIn="Sign in to check photos."
    >
      {() => (
        <>
          <CatalogStatus />
          <Diagnosis />
        </>
      )}
    </SignedInPage>
  );
}
