import { linkTo, type Place } from './place.ts'

/** Goes to a place, as its link does. */
export function goTo(target: Exclude<Place, { readonly page: 'unknown' }>): void {
  location.hash = linkTo(target)
}
