import { ShopPage } from '@/app/routes/shop/shop-page';
import { GradeSettings } from '@/features/batches/components/grade-settings';
import { GradeTotals } from '@/features/batches/components/grade-totals';

/** The scale of a shop, and how many parts got which grade. */
export function ShopGradesRoute() {
  return (
    <ShopPage
      title="Grades"
      about="The condition of returns and cores, as your shop names it."
      signIn="Sign in to see what was graded."
    >
      {() => (
        <>
          <GradeTotals />
          <GradeSettings />
        </>
      )}
    </ShopPage>
  );
}
