import { ShopPage } from '@/app/routes/signed-in-page';
import { useMayChange } from '@/app/routes/shop/use-may-change';
import { GradeSettings } from '@/features/batches/components/grade-settings';
import { GradeTotals } from '@/features/batches/components/grade-totals';

/** The scale of a shop, and how many parts got which grade. */
export function ShopGradesRoute() {
  const mayChange = useMayChange();
  return (
    <ShopPage
      title="Grades"
      about="The condition of returns and cores, as your shop names it."
      signIn="Sign in to see what was graded."
    >
      {() => (
        <>
          <GradeTotals />
          <GradeSettings mayChange={mayChange} />
        </>
      )}
    </ShopPage>
  );
}
