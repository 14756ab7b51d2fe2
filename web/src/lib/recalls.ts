/** Where NHTSA says by VIN whether one vehicle is affected and was repaired. */
export const RECALL_LOOKUP = 'https://www.nhtsa.gov/recalls';

/** `SERVICE BRAKES, HYDRAULIC:DISC:CALIPER`, or several as `STEERING,AIR BAGS`, as people read it. */
export function componentText(component: string): string {
  return (
    component
      // Between components stands no space after the comma, within one there does.
      .split(/; |,(?! )/)
      .map((path) => {
        const [first = '', ...rest] = path
          .toLowerCase()
          .split(':')
          .map((step) => step.trim());
        return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(', ');
      })
      .join('; ')
  );
}
