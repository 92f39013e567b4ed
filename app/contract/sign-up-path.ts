/** The path of the sign-up for a package ID; without one, the path of the sign-up without a plan. */
export function signUpPath(packageId: string | null | undefined): string {
  return packageId ? `/subscription/${packageId}` : "/subscription";
}
