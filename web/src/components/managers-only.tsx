/** Says why somebody who belongs to a company, and does not manage it, cannot change what it shares. */
export function ManagersOnly() {
  return <p className="text-sm text-soft">Only those who manage your company can change this.</p>;
}
