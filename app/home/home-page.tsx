import { ClosingCall } from "../ui/layout/closing-call";
import { Features } from "./features";
import { FutureOfSearch } from "./future-of-search";
import { Hero } from "./hero";
import { ProductSuite } from "./product-suite";

export function HomePage() {
  return (
    <>
      <Hero />
      <Features />
      <FutureOfSearch />
      <ProductSuite />
      <ClosingCall />
    </>
  );
}
