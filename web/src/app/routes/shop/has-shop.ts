import type { Schemas } from '@/api/client';

/** Whether somebody has the tools of a shop: on Business, of their own or through their company. */
export function hasShop(user: Pick<Schemas['User'], 'planType'>): boolean {
  return user.planType === 'business';
}
