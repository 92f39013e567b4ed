/** Path of the sign-up for a plan's package ID; of the sign-up without a plan if there is none. */
export function signUpPath(packageId: string | null | undefined): string {
  return packageId ? `/subscription/${packageId}` : "/subscription";
}
