/*
 * A FIDO security token in software, as a library for SecurityKeyProvider of ssh_config(5): one that is touched at
 * once. Its interface is version 10 of OpenSSH's PROTOCOL.u2f. The handle of a key is the private key itself, and
 * each signature adds a byte to the file TOUCHES, so that tests can count what a person would have to touch.
 */
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 0x000a0000
#define ED25519 1
#define USER_PRESENT 1
#define FAILED (-1)
#define UNSUPPORTED (-2)

struct enrolled {
  uint8_t flags;
  uint8_t *public_key;
  size_t public_key_len;
  uint8_t *key_handle;
  size_t key_handle_len;
  uint8_t *signature;
  size_t signature_len;
  uint8_t *attestation_cert;
  size_t attestation_cert_len;
  uint8_t *authdata;
  size_t authdata_len;
};

struct signed_data {
  uint8_t flags;
  uint32_t counter;
  uint8_t *sig_r;
  size_t sig_r_len;
  uint8_t *sig_s;
  size_t sig_s_len;
};

uint32_t sk_api_version(void) { return VERSION; }

int sk_enroll(uint32_t alg, const uint8_t *challenge, size_t challenge_len, const char *application, uint8_t flags,
              const char *pin, void **options, struct enrolled **response) {
  if (alg != ED25519) return UNSUPPORTED;
  struct enrolled *made = calloc(1, sizeof(*made));
  EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
  if (made == NULL || key == NULL) return FAILED;
  made->flags = flags;
  made->public_key_len = made->key_handle_len = 32;
  made->public_key = malloc(32);
  made->key_handle = malloc(32);
  /* ssh-keygen wants an attestation, and checks none. */
  made->signature = calloc(1, made->signature_len = 64);
  made->attestation_cert = calloc(1, made->attestation_cert_len = 1);
  made->authdata = calloc(1, made->authdata_len = 37);
  int good = EVP_PKEY_get_raw_public_key(key, made->public_key, &made->public_key_len) == 1 &&
             EVP_PKEY_get_raw_private_key(key, made->key_handle, &made->key_handle_len) == 1;
  EVP_PKEY_free(key);
  *response = made;
  return good ? 0 : FAILED;
}

int sk_sign(uint32_t alg, const uint8_t *data, size_t data_len, const char *application, const uint8_t *key_handle,
            size_t key_handle_len, uint8_t flags, const char *pin, void **options, struct signed_data **response) {
  if (alg != ED25519) return UNSUPPORTED;
  FILE *touches = fopen(TOUCHES, "a");
  if (touches == NULL || fputc('.', touches) == EOF || fflush(touches) != 0) return FAILED;
  uint32_t counter = (uint32_t)ftell(touches);
  fclose(touches);

  /* What a token signs: the digest of the application, flags, counter and the digest of the data. */
  uint8_t text[32 + 1 + 4 + 32];
  SHA256((const uint8_t *)application, strlen(application), text);
  text[32] = flags | USER_PRESENT;
  for (int i = 0; i < 4; i++) text[33 + i] = (uint8_t)(counter >> (24 - 8 * i));
  SHA256(data, data_len, text + 37);

  struct signed_data *made = calloc(1, sizeof(*made));
  EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, key_handle, key_handle_len);
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (made == NULL || key == NULL || context == NULL) return FAILED;
  made->flags = text[32];
  made->counter = counter;
  made->sig_r = malloc(made->sig_r_len = 64);
  int good = EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1 &&
             EVP_DigestSign(context, made->sig_r, &made->sig_r_len, text, sizeof(text)) == 1;
  EVP_MD_CTX_free(context);
  EVP_PKEY_free(key);
  *response = made;
  return good ? 0 : FAILED;
}

int sk_load_resident_keys(const char *pin, void **options, void ***keys, size_t *count) { return UNSUPPORTED; }
