// Package amazon finds the credentials and the region of an Amazon account where
// Amazon's own programs look for them, and signs requests. It does not use
// aws-sdk-go-v2/config: the clients that module links build tables of regular
// expressions in every process that starts, whether it uses them or not.
package amazon
