// Package web serves the page and the page's methods over loopback HTTP, to the
// one browser that holds this run's ticket.
package web
